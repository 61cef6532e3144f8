namespace Poolhouse.Tool.Experiments;

/// <summary>An experiment's answer in a line.</summary>
internal sealed record Verdict(Outcome Outcome, string Text);
