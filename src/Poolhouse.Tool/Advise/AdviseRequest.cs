namespace Poolhouse.Tool.Advise;

/// <summary>Which process to sample, for how long, and where the advice goes.</summary>
internal sealed record AdviseRequest
{
    public required int Pid { get; init; }

    public required TimeSpan Time { get; init; }

    public bool Json { get; init; }

    /// <summary>The file for the page; null for none.</summary>
    public string? Html { get; init; }
}
