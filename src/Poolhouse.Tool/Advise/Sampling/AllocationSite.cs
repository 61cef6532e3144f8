namespace Poolhouse.Tool.Advise.Sampling;

/// <summary>A place in the code that allocates.</summary>
/// <param name="Type">The type of what is allocated there.</param>
/// <param name="Method">The method of the application; empty if it is not known.</param>
/// <param name="Way">How it is allocated.</param>
/// <param name="Owner">The type whose constructor allocates it, or the collection; else empty.</param>
internal sealed record AllocationSite(string Type, string Method, AllocationWay Way, string Owner)
{
    /// <summary>Bytes a second.</summary>
    public double Bytes { get; init; }

    /// <summary>The size of one object, on average.</summary>
    public double Size { get; init; }

    public bool IsLarge { get; init; }

    public bool IsArray => Type.EndsWith("[]", StringComparison.Ordinal);
}
