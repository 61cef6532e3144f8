using System.Data.Common;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>What the conformance tests need of a provider and its database.</summary>
internal sealed record Subject(DbProviderFactory Factory, string ConnectionString) : IAsyncDisposable
{
    public DbProviderProfile Profile => DbProviderProfile.Of(Factory);

    public string CreateTable { get; init; } = "CREATE TABLE cups (name VARCHAR(20))";

    /// <summary>Begins a transaction in SQL; null if the provider accepts no such statement.</summary>
    public string? Begin { get; init; } = "BEGIN;";

    /// <summary>Statements that leave something in the session, each with a query that shows it.</summary>
    public IReadOnlyList<(string Statement, string Query)> Leftovers { get; init; } = [];

    /// <summary>
    /// A statement that changes a setting to "2", and the query for it: for <see cref="DbPoolOptions.Initialize"/>.
    /// </summary>
    public (string Set, string Spoil, string Query)? Setting { get; init; }

    /// <summary>A statement that takes many seconds.</summary>
    public string? Sleep { get; init; }

    /// <summary>Ends the sessions of the database on the server, except that of the caller.</summary>
    public Func<Task>? KillAllAsync { get; init; }

    public Func<Task>? RestartAsync { get; init; }

    public Func<ValueTask>? Cleanup { get; init; }

    public ValueTask DisposeAsync() => Cleanup?.Invoke() ?? default;
}
