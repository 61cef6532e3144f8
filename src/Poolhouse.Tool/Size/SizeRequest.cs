using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Size;

/// <summary>The command line of <c>size</c>, checked.</summary>
internal sealed record SizeRequest
{
    public required DatabaseKind Kind { get; init; }

    /// <summary>May hold a secret; shown nowhere. Null: not given.</summary>
    public required string? Connection { get; init; }

    public required string Query { get; init; }

    public required int Callers { get; init; }

    public required TimeSpan Total { get; init; }

    public required bool AllowWrites { get; init; }

    public required string Report { get; init; }

    public required string? Json { get; init; }

    /// <summary>The command as typed, without connection string and query, for the captions.</summary>
    public required string Command { get; init; }
}
