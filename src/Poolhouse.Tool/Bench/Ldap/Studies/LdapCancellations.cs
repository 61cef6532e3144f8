using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Ldap.Studies;

/// <summary>Callers that give up in the middle of a search, while five threads keep searching.</summary>
internal sealed class LdapCancellations : LdapScenario
{
    private const double StormPerSecond = 100;
    private const int Steps = 45;
    private const string DoneRate = "operations done";
    private const string OpenCurve = "open connections";
    private const string OpenAtMost = "Open connections, at most";
    private const string Lost = "Capacity lost";
    private const string MeanInTheStorm = "Mean in the storm";

    public override string Id => "ldap-cancellations";

    public override string Title => "Searches that are cancelled midway";

    public override string Question => "What do cancelled searches cost the directory and the other callers?";

    public override string Method =>
        "5 threads search, query their identity, and pause for 5 ms; the server takes 5 ms for an answer, unless it was "
        + "not started by this run. In the middle third of the time 100 callers a second come as well, each of which gives "
        + "up after 1 to 4 ms. Poolhouse is a pool of 5: callers cancel the token of SendAsync, which destroys the "
        + "connection. With 'new connection', nothing can be cancelled, and unfinished searches continue. At the end, 5 "
        + "callers must be able to hold a connection of the pool each.";

    protected override IReadOnlyList<string> Contestants => [RivalNames.Poolhouse, RivalNames.NewConnection];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(DoneRate, "Operations done (more is better)", "Operations of the five threads, per second over time.", "per second"),
        new(OpenCurve, "Open connections (fewer is better)", "Connections that the server has, over time.", OpenCurve),
    ];

    public override string Promise => "no capacity lost, and no operation under another identity";

    public override string? Figure => MeanInTheStorm;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var lost = Of(trials, RivalNames.Poolhouse, Lost);
        var strangers = Of(trials, RivalNames.Poolhouse, Strangers);
        var open = Of(trials, RivalNames.Poolhouse, OpenAtMost);
        var openOfNew = Of(trials, RivalNames.NewConnection, OpenAtMost);
        return VerdictOf(
            // If a server does not report its connections, both are not a number, and no comparison is true.
            lost == 0 && strangers == 0 && !(open > openOfNew),
            $"Poolhouse loses {Units.Count(lost)} of {Units.Count(SizeOf(RivalNames.Poolhouse))} connections of its "
            + $"capacity, and {Units.Count(strangers)} operations ran as an identity other than the service; an operation "
            + $"takes {TextOf(RivalNames.Poolhouse)} in the storm, with new connections {TextOf(RivalNames.NewConnection)}"
            + (double.IsNaN(open) ? "." : $"; open connections at most: {Units.Count(open)} and {Units.Count(openOfNew)}."));

        string TextOf(string rival) => Finding.TextOf(Of(trials, rival, MeanInTheStorm), Quantity.Seconds);
    }

    protected override async Task<Trial> RunAsync(
        string rival, LdapSource source, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var directory = source.Open();
        await using var _ = directory.ConfigureAwait(false);
        var target = directory.Target;
        var check = new IdentityCheck(target, IdentityOf(target));
        directory.SlowDown(pace.Milliseconds(5));
        var before = directory.Accepted;
        var connections = ConnectionsOf(rival, target);
        await using var __ = connections.ConfigureAwait(false);
        var callers = new LdapCallers(connections, check.Search, time, cancellation);
        var guests = new Guests(connections, time, cancellation);
        var end = pace.Choose(3_000, 1_200).TotalSeconds;
        callers.Journal.SetZero();
        var threads = callers.ComeAsync(Threads, pace.Milliseconds(5), _ => callers.Journal.Now < end);
        var watch = WatchAsync(directory, callers.Journal, pace.Milliseconds(10), end, time, cancellation);
        var number = 0;
        await callers.StreamAsync(
            StormPerSecond, end / 3, 2 * end / 3, () => guests.ComeAsync(pace.Milliseconds(1 + (number++ % 4))))
                .ConfigureAwait(false);
        await threads.ConfigureAwait(false);
        await callers.AllLeftAsync().ConfigureAwait(false);
        var open = await watch.ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = callers.Journal;
        return new Trial(
            rival,
            [new Curve(DoneRate, journal.Rates(TrialEvent.Done, end, Steps)), new Curve(OpenCurve, open)],
            [
                new Finding(
                    MeanInTheStorm, Mean(journal.Of(TrialEvent.Done, end / 3, 2 * end / 3)), Quantity.Seconds, Expectation.Less),
                new Finding("Mean before", Mean(journal.Of(TrialEvent.Done, 0, end / 3)), Quantity.Seconds, Expectation.Less),
                new Finding("Callers that gave up", guests.GaveUp, Quantity.Count, Expectation.None),
                new Finding(Strangers, check.Strangers, Quantity.Count, Expectation.Less),
                .. open.Count > 0
                    ? [new Finding(OpenAtMost, open.Max(point => point.Y), Quantity.Count, Expectation.Less)]
                    : Array.Empty<Finding>(),
                new Finding(ConnectionsUsed, directory.Accepted - before ?? connections.Opened, Quantity.Count, Expectation.Less),
                new Finding("Errors", Failed(journal), Quantity.Count, Expectation.Less),
                new Finding(Lost, connections.CountLost(cancellation), Quantity.Count, Expectation.Less),
            ])
        {
            Band = new Band(end / 3, 2 * end / 3, "storm"),
        };
    }

    private static async Task<IReadOnlyList<CurvePoint>> WatchAsync(
        LdapDirectory directory, Journal journal, TimeSpan interval, double end, TimeProvider time,
        CancellationToken cancellation)
    {
        var points = new List<CurvePoint>();
        while (directory.Open is { } count && journal.Now < end && !cancellation.IsCancellationRequested)
        {
            points.Add(new CurvePoint(journal.Now, count));
            await Task.Delay(interval, time, CancellationToken.None).ConfigureAwait(false);
        }

        return points;
    }

    /// <summary>Callers that arrive once and give up soon.</summary>
    private sealed class Guests(LdapConnections connections, TimeProvider time, CancellationToken cancellation)
    {
        private int _gaveUp;

        public int GaveUp => Volatile.Read(ref _gaveUp);

        public async Task ComeAsync(TimeSpan patience)
        {
            using var timeout = new CancellationTokenSource(patience, time);
            using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellation);
            try
            {
                await connections.SearchAsync(either.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                Interlocked.Increment(ref _gaveUp);
            }
            catch (Exception failure) when (LdapFailureText.Is(failure))
            {
                // It was answered after all, with an error; those of the five threads count.
            }
        }
    }
}
