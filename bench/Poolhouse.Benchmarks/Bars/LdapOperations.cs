using System.Diagnostics;
using System.DirectoryServices.Protocols;
using Poolhouse.Ldap;

namespace Poolhouse.Benchmarks.Bars;

/// <summary>What goes to the directory and back, one after the other.</summary>
internal static class LdapOperations
{
    /// <summary>A new connection takes so long that more would make a round too long.</summary>
    public const int PerCall = 10;

    /// <summary>Nanoseconds an operation.</summary>
    public static double Nanoseconds(Action<int> run, int calls)
    {
        var started = Stopwatch.GetTimestamp();
        run(calls * PerCall);
        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / (calls * (double)PerCall);
    }

    public static void ConnectAndSearch(int operations)
    {
        for (var i = 0; i < operations; i++)
        {
            using var connection = LdapPools.Connect();
            connection.SendRequest(LdapPools.Request());
        }
    }

    public static void Search(int operations)
    {
        var connection = LdapPools.Held;
        for (var i = 0; i < operations; i++)
        {
            connection.SendRequest(LdapPools.Request());
        }
    }

    public static void Rent(int operations) => LdapPair.Run(operations);

    public static void RentAndSearch(int operations)
    {
        var pool = LdapPools.Poolhouse;
        for (var i = 0; i < operations; i++)
        {
            using var lease = pool.Rent();
            lease.Value.SendRequest(LdapPools.Request());
        }
    }

    public static void Send(int operations) => SendAsync(operations).Wait();

    public static void Begin(int operations) => BeginAsync(operations).Wait();

    public static void SearchElsewhere(int operations) => SearchElsewhereAsync(operations).Wait();

    private static async Task SendAsync(int operations)
    {
        var pool = LdapPools.Poolhouse;
        for (var i = 0; i < operations; i++)
        {
            await pool.SendAsync<SearchResponse>(LdapPools.Request());
        }
    }

    /// <summary>The asynchronous call of the base class, which polls for the answer.</summary>
    private static async Task BeginAsync(int operations)
    {
        var connection = LdapPools.Held;
        for (var i = 0; i < operations; i++)
        {
            await Task.Factory.FromAsync(
                (callback, state) => connection.BeginSendRequest(
                    LdapPools.Request(), PartialResultProcessing.NoPartialResultSupport, callback, state!),
                connection.EndSendRequest,
                null);
        }
    }

    /// <summary>The two hops, to another thread and back, and nothing else.</summary>
    private static async Task SearchElsewhereAsync(int operations)
    {
        var connection = LdapPools.Held;
        for (var i = 0; i < operations; i++)
        {
            await Task.Run(() => connection.SendRequest(LdapPools.Request()));
        }
    }
}

internal readonly struct LdapPair : IOperation
{
    public static void Run(int pairs)
    {
        var pool = LdapPools.Poolhouse;
        for (var i = 0; i < pairs; i++)
        {
            using var lease = pool.Rent();
            _ = lease.Value.Server;
        }
    }
}
