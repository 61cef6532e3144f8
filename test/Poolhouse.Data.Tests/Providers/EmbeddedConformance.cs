using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Promise I35 for providers of databases that run in the process.</summary>
public abstract class EmbeddedConformance : ProviderConformance, IAsyncDisposable
{
    [Fact]
    public async Task It_declares_that_no_server_ends_sessions_or_statements() => Assert.Equal(
        DbProviderLimits.Server | DbProviderLimits.Timeouts,
        (await ConnectAsync()).Profile.Limits & (DbProviderLimits.Server | DbProviderLimits.Timeouts));

    [Fact]
    public async Task A_cancelled_statement_leaves_nothing_behind_or_runs_to_its_end_as_declared()
    {
        var subject = await StartAsync();
        var isIgnored = subject.Profile.Limits.HasFlag(DbProviderLimits.Cancellation);
        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            var failure = await CancelAsync(
                connection, Busy(isIgnored ? 6_000_000 : 1_000_000_000_000), () => Task.FromResult(IsBusy));
            Assert.Equal(isIgnored, failure is null);
        }

        Assert.Equal(isIgnored ? "1" : "0", await ReadAsync(source, Count));
    }

    public ValueTask DisposeAsync()
    {
        Database.Dispose();
        GC.SuppressFinalize(this);
        return default;
    }

    private protected SqliteFile Database { get; } = new();

    /// <summary>A statement that computes many rows and inserts one into the table.</summary>
    private protected abstract string Busy(long rows);

    /// <summary>Whether such a statement is running.</summary>
    private protected abstract bool IsBusy { get; }
}
