namespace Poolhouse.Tool.Bench.Resources.Trials;

/// <summary>Something that happened.</summary>
/// <param name="What">What.</param>
/// <param name="At">When, in seconds since the journal's zero; negative before.</param>
/// <param name="Value">What else there is to know.</param>
internal readonly record struct Entry(TrialEvent What, double At, double Value);
