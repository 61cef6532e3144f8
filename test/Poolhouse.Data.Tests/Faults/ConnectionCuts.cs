using Poolhouse.Testing;

namespace Poolhouse.Data.Tests.Faults;

/// <summary>What the network does to existing connections.</summary>
internal static class ConnectionCuts
{
    private static readonly Dictionary<string, Action<FaultProxy>> _cuts = new(StringComparer.Ordinal)
    {
        ["close"] = proxy => proxy.CloseAll(),
        ["reset"] = proxy => proxy.ResetAll(),
        ["half-close towards the client"] = proxy => proxy.ToClient.HalfCloseAll(),
        ["half-close towards the server"] = proxy => proxy.ToServer.HalfCloseAll(),
    };

    public static IEnumerable<string> All => _cuts.Keys;

    /// <summary>Without the one that does not interrupt a reply in progress.</summary>
    public static IEnumerable<string> OfBusy =>
        _cuts.Keys.Where(fault => !fault.EndsWith("towards the server", StringComparison.Ordinal));

    public static void Apply(string fault, FaultProxy proxy) => _cuts[fault](proxy);

    /// <summary>Cuts connections while a statement runs on each; every one must fail, and the pool must recover.</summary>
    /// <param name="line">The connections.</param>
    /// <param name="user">Their user.</param>
    /// <param name="size">How many there are.</param>
    /// <param name="fault">The cut.</param>
    /// <returns>The failures.</returns>
    public static async Task<IReadOnlyList<Exception>> FailuresOfBusyAsync(
        ProxiedServer line, PoolUser user, int size, string fault)
    {
        var sleepers =
            Enumerable.Range(0, size).Select(_ => user.RunAsync(() => user.QueryAsync(user.Kind.Sleep(seconds: 60)))).ToList();
        await Patience.UntilAsync(() => line.Watch.CountBusyAsync(user.SessionName), busy => busy == size, "all are busy");

        Apply(fault, line.Proxy);

        var failures = new List<Exception>();
        foreach (var sleeper in sleepers)
        {
            failures.Add((await Record.ExceptionAsync(() => Patience.WithinAsync(sleeper)))!);
        }

        // The server does not notice the loss while it sleeps.
        await line.Watch.TerminateAsync(user.SessionName);
        Assert.Equal(size, user.Errors);
        await user.AssertRecoveredAsync(line.Watch);
        return failures;
    }
}
