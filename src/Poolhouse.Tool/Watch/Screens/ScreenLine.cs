namespace Poolhouse.Tool.Watch.Screens;

/// <summary>A line of the screen.</summary>
internal readonly record struct ScreenLine(string Text, Tone Tone = Tone.Normal);
