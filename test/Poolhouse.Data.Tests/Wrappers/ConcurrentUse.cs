using System.Data;
using System.Data.Common;
using Poolhouse.Data.Tests.Fakes;
using Poolhouse.Tests;

namespace Poolhouse.Data.Tests.Wrappers;

/// <summary>
/// Using a connection from two threads at once is an error of its user. The rule: other callers are not affected (I1, I3, I9).
/// </summary>
// What the races are about takes a few nanoseconds, so each test plays many rounds; a round ends when both threads have ended
// theirs.
public sealed class ConcurrentUse
{
    private readonly FakeDb _db = new();

    [Fact]
    public void Closing_while_another_thread_opens_ends_no_other_lease()
    {
        const int Most = 60_000;
        var options = new DbPoolOptions { ValidationQuery = null };
        options.Pool.MaxSize = 3;
        using var source = PooledDataSource.Create(_db, options);
        using var shared = source.CreateConnection();
        var mistaken = Enumerable.Range(0, 2).Select(_ => Do(new Rounds(Most), _ =>
        {
            Try(shared.Open);
            Try(shared.Close);
        })).ToList();
        var honest = Enumerable.Range(0, 2).Select(_ => Do(new Rounds(Most), _ => UseAlone(source))).ToList();
        Assert.All(mistaken.Concat(honest), static end => Assert.Null(end()));
        shared.Close();
        AssertEverythingIsBack(source, 3);
    }

    [Fact]
    public void A_connection_disposed_while_it_is_opened_is_eventually_closed()
    {
        var rounds = new Rounds(40_000);
        using var source = PooledDataSource.Create(_db, FakeDb.OneConnection());
        DbConnection connection = source.CreateConnection();
        var stillOpen = 0;
        using var meet = new Barrier(2, _ =>
        {
            stillOpen += connection.State == ConnectionState.Closed ? 0 : 1;
            connection.Close();
            connection = source.CreateConnection();
        });
        var opening = Do(rounds, round =>
        {
            Try(connection.Open);
            rounds.EndIfLate(round);
            meet.SignalAndWait();
        });
        var disposing = Do(rounds, _ =>
        {
            connection.Dispose();
            meet.SignalAndWait();
        });
        Assert.Null(opening());
        Assert.Null(disposing());
        Assert.Equal(0, stillOpen);
        AssertEverythingIsBack(source, 1);
    }

    private static void UseAlone(PooledDataSource source)
    {
        using var connection = source.OpenConnection();
        var inner = Provider.Of<FakeConnection>(connection);
        Assert.Null(inner.ExchangeUser(connection));
        Assert.Same(connection, inner.ExchangeUser(null));
    }

    /// <summary>
    /// Runs an action repeatedly on a separate thread; the result waits for the end and throws the first failure.
    /// </summary>
    private static Func<Exception?> Do(Rounds rounds, Action<int> action)
    {
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(() =>
        {
            for (var round = 0; round < rounds.Count; round++)
            {
                action(round);
            }
        }));
        thread.Start();
        return () =>
        {
            thread.Join();
            return failure;
        };
    }

    // Which error each thread gets is undefined: already open, being opened, or disposed.
    private static void Try(Action action)
    {
        try
        {
            action();
        }
        catch (InvalidOperationException)
        {
            // Expected from time to time.
        }
    }

    private static void AssertEverythingIsBack(PooledDataSource source, int count)
    {
        var all = Enumerable.Range(0, count).Select(_ => source.OpenConnection()).ToList();
        Assert.Equal(count, all.Select(Provider.Of<FakeConnection>).Distinct().Count());
        all.ForEach(connection => connection.Dispose());
        Assert.Equal(0, source.GetStatistics().Leased);
    }
}
