namespace Poolhouse.Tool.Advise;

/// <summary>Something that is worth pooling.</summary>
internal sealed record Finding
{
    /// <summary>The name of the rule, the same in every version: <c>large-arrays</c>.</summary>
    public required string Rule { get; init; }

    /// <summary>What to do, in a line.</summary>
    public required string Title { get; init; }

    /// <summary>The method to change; empty if it is not known.</summary>
    public string Where { get; init; } = "";

    /// <summary>The figures that it rests on.</summary>
    public required string Figures { get; init; }

    /// <summary>From which figures on the rule applies, and why from there.</summary>
    public required string Threshold { get; init; }

    /// <summary>The code to write.</summary>
    public string Code { get; init; } = "";

    /// <summary>What the change is expected to save; null if that is not known.</summary>
    public Estimate? Estimate { get; init; }

    /// <summary>What the estimate does not say.</summary>
    public string Caveat { get; init; } = "";

    /// <summary>The page of the documentation.</summary>
    public required string Url { get; init; }
}
