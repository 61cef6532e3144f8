namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Which way a figure is better.</summary>
internal enum Expectation
{
    /// <summary>Neither: it only describes.</summary>
    None,
    Less,
    More,
}
