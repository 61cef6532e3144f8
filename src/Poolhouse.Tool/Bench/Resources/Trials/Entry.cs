namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>An event of a trial.</summary>
/// <param name="What">The kind of event.</param>
/// <param name="At">When, in seconds since the journal's zero; negative before.</param>
/// <param name="Value">A value that depends on the kind of event.</param>
internal readonly record struct Entry(TrialEvent What, double At, double Value);
