using Poolhouse.Tool.Bench.Databases;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>The command line of <c>bench</c>, checked.</summary>
internal sealed record BenchRequest
{
    /// <summary>The names of groups and experiments, in the order in which they were given.</summary>
    public required IReadOnlyList<string> Choices { get; init; }

    /// <summary>The same, for messages.</summary>
    public string Choice => string.Join(' ', Choices);

    public required bool Quick { get; init; }

    /// <summary>Ascending and distinct; <c>null</c>: not given.</summary>
    public required IReadOnlyList<int>? Threads { get; init; }

    public required string Report { get; init; }

    public required string? Json { get; init; }

    /// <summary>The results of an earlier run; <c>null</c>: not given.</summary>
    public string? Compare { get; init; }

    public required string? Input { get; init; }

    /// <summary>The PDF file of <c>streams</c>; <c>null</c>: not given.</summary>
    public required string? Pdf { get; init; }

    /// <summary>The connection string of a server; it may hold a secret. <c>null</c>: not given.</summary>
    public required string? Postgres { get; init; }

    /// <summary>As <see cref="Postgres"/>, for SQL Server.</summary>
    public string? SqlServer { get; init; }

    /// <summary>As <see cref="Postgres"/>, for a <see cref="Provider"/> without an option of its own.</summary>
    public string? Connection { get; init; }

    /// <summary>The only database to measure; <c>null</c>: not given.</summary>
    public DatabaseKind? Provider { get; init; }

    /// <summary>The address of an LDAP server; <c>null</c>: not given.</summary>
    public string? Server { get; init; }

    /// <summary>The identity for the LDAP server; <c>null</c>: not given.</summary>
    public string? BindDn { get; init; }

    /// <summary>A secret; <c>null</c>: not given.</summary>
    public string? BindPassword { get; init; }

    /// <summary>The command as typed, without secrets, for the captions.</summary>
    public required string Command { get; init; }
}
