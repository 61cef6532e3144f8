using System.Data.Common;
using System.Diagnostics;
using Dapper;
using Poolhouse.Data.Tests.Faults;

namespace Poolhouse.Data.Tests.Providers;

/// <summary>Promise I35 for providers of databases with a server, which ends sessions and statements.</summary>
public abstract class ServerConformance : ProviderConformance
{
    [Fact]
    public async Task It_declares_no_limit_that_only_an_embedded_database_has() => Assert.Equal(
        DbProviderLimits.None,
        (await ConnectAsync()).Profile.Limits & (DbProviderLimits.Server | DbProviderLimits.Cancellation));

    [Fact]
    public async Task Sessions_that_were_ended_while_idle_cause_at_most_one_error_each()
    {
        await using var source = Create(await StartAsync());
        await source.WarmUpAsync(2, Token);
        await KillAllAsync();

        var errors = 0;
        for (var i = 0; i < 8; i++)
        {
            errors += await Record.ExceptionAsync(() => ReadAsync(source, Count)) is null ? 0 : 1;
        }

        Assert.InRange(errors, 0, 2);
        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_session_that_is_ended_in_use_fails_once()
    {
        var subject = await StartAsync();
        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Assert.Equal("0", await ReadAsync(connection, Count));
            await KillAllAsync();
            var failure = await Record.ExceptionAsync(() => connection.ExecuteAsync(Insert));
            Assert.NotNull(failure);
            Assert.NotEqual(DbErrorSeverity.Statement, subject.Profile.Classify(failure));
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_restart_of_the_server_is_survived()
    {
        await using var server = await StartOwnAsync();
        await using var source = Create(await CreateTableAsync(server.Subject));
        await source.WarmUpAsync(2, Token);

        await server.StopAsync();
        Assert.NotNull(await Record.ExceptionAsync(() => ReadAsync(source, Count)));
        await server.StartAgainAsync();

        await Patience.UntilAsync(
            async () => await Record.ExceptionAsync(() => ReadAsync(source, Count)), failure => failure is null,
            "a caller is served");
    }

    [Fact]
    public async Task A_statement_that_timed_out_leaves_nothing_behind_or_runs_on_as_declared()
    {
        var subject = await StartAsync();
        await using var source = Create(subject);
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            if (subject.Profile.Limits.HasFlag(DbProviderLimits.Timeouts))
            {
                var began = Stopwatch.GetTimestamp();
                var late = TimeSpan.FromSeconds(2);
                Assert.NotNull(await CancelAsync(
                    connection, Sleep, () => Task.FromResult(Stopwatch.GetElapsedTime(began) > late), commandTimeout: 1));
            }
            else
            {
                await Assert.ThrowsAnyAsync<DbException>(() => connection.ExecuteAsync(Sleep, commandTimeout: 1));
            }
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    [Fact]
    public async Task A_statement_that_was_cancelled_leaves_nothing_behind()
    {
        await using var source = Create(await StartAsync());
        await using (var connection = await source.OpenConnectionAsync(Token))
        {
            Assert.NotNull(await CancelAsync(connection, Sleep, IsSleepingAsync));
        }

        Assert.Equal("0", await ReadAsync(source, Count));
    }

    /// <summary>A server that the test stops and starts again.</summary>
    internal abstract Task<StoppableServer> StartOwnAsync();

    /// <summary>A statement that takes half a minute.</summary>
    private protected abstract string Sleep { get; }

    /// <summary>Whether a session on the database is executing <see cref="Sleep"/>.</summary>
    private protected abstract Task<bool> IsSleepingAsync();

    /// <summary>Ends the sessions on the database, except that of the caller.</summary>
    private protected abstract Task KillAllAsync();
}
