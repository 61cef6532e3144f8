using System.Data.Common;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>What the conformance tests need of every provider and its database.</summary>
internal sealed record Subject(DbProviderFactory Factory, string ConnectionString)
{
    /// <summary>The profile for the pool; null for the one that recognizes the provider.</summary>
    public DbProviderProfile? OwnProfile { get; init; }

    public DbProviderProfile Profile => OwnProfile ?? DbProviderProfile.Of(Factory);

    /// <summary>Begins a transaction in SQL.</summary>
    public string Begin { get; init; } = "BEGIN;";

    /// <summary>Whether the provider refuses <see cref="Begin"/>: only its own method begins transactions.</summary>
    public bool RefusesBegin { get; init; }

    /// <summary>Statements that leave something in the session, each with a query that shows it.</summary>
    public required IReadOnlyList<(string Statement, string Query)> Leftovers { get; init; }

    /// <summary>
    /// A statement that changes a setting to "2", one that changes it again, and the query for it: for
    /// <see cref="DbPoolOptions.Initialize"/>.
    /// </summary>
    public required (string Set, string Spoil, string Query) Setting { get; init; }
}
