using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Ldap.Studies;

/// <summary>
/// The experiment of the article <i>LINQ to LDAP connection pooling</i>: a new connection for each operation, and a pool.
/// </summary>
internal sealed class LdapOperations : LdapScenario
{
    private const double MostOfTheMean = 0.75;
    private const string Times = "operation times";
    private const string MeanTime = "Mean";
    private const string Slow = "Longer than a new connection";

    public override string Id => "ldap-operations";

    public override string Title => "Five threads that search and pause";

    public override string Question => "How long does a directory operation take with new connections, and with a pool?";

    public override string Method =>
        "5 threads repeatedly search for one entry and pause for 5 ms in between, as in the article 'LINQ to LDAP "
        + "connection pooling'. 'new connection' opens, binds, searches and closes; Poolhouse rents from a pool of 5 "
        + "connections, 'pool of 4' from one of 4. Before the first trial a new connection for one search is timed without "
        + "other callers; its median is what operations are called longer than. Connections are those that the server "
        + "accepted, or that a client opened where the server was not started by this run.";

    protected override IReadOnlyList<string> Contestants =>
        [RivalNames.Poolhouse, RivalNames.SmallPool, RivalNames.NewConnection];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(
            Times,
            "Time of an operation (less is better)",
            "The time that so many percent of the operations did not exceed.",
            "time")
        {
            XTitle = "percent of the operations",
            YLabel = seconds => Units.Duration(seconds * 1e9),
        },
    ];

    public override string Promise => "at most three quarters of the time with new connections";

    public override string? Figure => MeanTime;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var own = Of(trials, RivalNames.Poolhouse, MeanTime);
        var small = Of(trials, RivalNames.SmallPool, MeanTime);
        var fresh = Of(trials, RivalNames.NewConnection, MeanTime);
        return VerdictOf(
            own <= fresh * MostOfTheMean && small < fresh
                && Of(trials, RivalNames.Poolhouse, ConnectionsUsed) <= SizeOf(RivalNames.Poolhouse)
                && Of(trials, RivalNames.SmallPool, ConnectionsUsed) <= SizeOf(RivalNames.SmallPool),
            $"An operation takes {TextOf(own)} on average with a pool of 5, {TextOf(small)} with one of 4, "
            + $"{TextOf(fresh)} with a new connection; connections: {UsedBy(RivalNames.Poolhouse)}, "
            + $"{UsedBy(RivalNames.SmallPool)} and {UsedBy(RivalNames.NewConnection)}.");

        static string TextOf(double seconds) => Finding.TextOf(seconds, Quantity.Seconds);

        string UsedBy(string rival) => Units.Count(Of(trials, rival, ConnectionsUsed));
    }

    protected override async Task<Trial> RunAsync(
        string rival, LdapSource source, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        // At least as many as the JIT needs to optimize the code: the warm-up is as long, and the server is in this process.
        var operations = pace switch { ScenarioPace.Full => 400, ScenarioPace.Quick => 120, _ => 40 };
        var directory = source.Open();
        await using var _ = directory.ConfigureAwait(false);
        var target = directory.Target;
        var price = source.PriceOfAConnection(target, cancellation);
        var before = directory.Accepted;
        var connections = ConnectionsOf(rival, target);
        await using var __ = connections.ConfigureAwait(false);
        var callers = new LdapCallers(connections, connection => connection.SendRequest(target.Search()), time, cancellation);
        callers.Journal.SetZero();
        await callers.ComeAsync(Threads, pace.Milliseconds(5), visit => visit < operations).ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = callers.Journal;
        var done = journal.Of(TrialEvent.Done);
        return new Trial(
            rival,
            [new Curve(
                Times,
                [.. Enumerable.Range(1, 99).Select(percent => new CurvePoint(percent, Percentile(done, percent / 100.0)))])],
            [
                new Finding(MeanTime, Mean(done), Quantity.Seconds, Expectation.Less),
                new Finding("Median", Percentile(done, 0.5), Quantity.Seconds, Expectation.Less),
                new Finding("99th percentile", Percentile(done, 0.99), Quantity.Seconds, Expectation.Less),
                new Finding("A new connection, alone", price, Quantity.Seconds, Expectation.None),
                new Finding(Slow, done.Count(entry => entry.Value > price), Quantity.Count, Expectation.Less),
                new Finding("Operations", done.Count, Quantity.Count, Expectation.None),
                new Finding(ConnectionsUsed, directory.Accepted - before ?? connections.Opened, Quantity.Count, Expectation.Less),
                new Finding("Errors", Failed(journal), Quantity.Count, Expectation.Less),
            ]);
    }
}
