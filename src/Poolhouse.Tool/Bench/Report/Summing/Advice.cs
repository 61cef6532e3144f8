namespace Poolhouse.Tool.Bench.Report.Summing;

/// <summary>What a study advises, in the order of the page.</summary>
internal enum Advice
{
    /// <summary>Poolhouse is faster than no pool and than the best other pool, or it kept its promise.</summary>
    UseIt,

    /// <summary>Only under some conditions, or the best other pool is as good, or the run was too noisy to tell.</summary>
    Depends,

    /// <summary>No pool is faster, or Poolhouse did not keep its promise.</summary>
    DoNot,
}
