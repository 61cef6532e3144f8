namespace Poolhouse.Tool.Bench;

/// <summary>An experiment's answer in a line.</summary>
internal sealed record Verdict(Outcome Outcome, string Text);
