namespace Poolhouse.Tool.Bench.Report.Summing;

/// <summary>How one pool did in the quantity that decides a study.</summary>
/// <param name="Rival">Its name.</param>
/// <param name="Cost">A multiple of Poolhouse's cost: more is worse. Infinite if it never got there.</param>
/// <param name="Text">The figure.</param>
internal sealed record Standing(string Rival, double Cost, string Text);
