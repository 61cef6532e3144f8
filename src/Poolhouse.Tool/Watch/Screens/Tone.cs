namespace Poolhouse.Tool.Watch.Screens;

/// <summary>How a line is shown where there are colors.</summary>
internal enum Tone
{
    Normal,
    Quiet,
    Title,
    Good,
    Warning,
    Bad,
    Selected,
}
