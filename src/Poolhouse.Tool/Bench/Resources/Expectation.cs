namespace Poolhouse.Tool.Bench.Resources;

/// <summary>Whether a larger or a smaller figure is better.</summary>
internal enum Expectation
{
    /// <summary>Neither: it only describes.</summary>
    None,
    Less,
    More,
}
