using Poolhouse.Tool.Bench.Charts;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Ldap.Studies;

/// <summary>The server is away for a moment while five threads keep searching.</summary>
internal sealed class LdapRestart : LdapScenario
{
    private const double LongestRetryDelay = 400;
    private const double SecondsToOpen = 0.1;
    private const int Steps = 60;
    private const string DoneRate = "operations done";
    private const string FailedRate = "errors";
    private const string Recovery = "First answer after it is back";
    private const string Errors = "Errors";

    public override string Id => "ldap-restart";

    public override string Title => "A directory that is restarted";

    public override string Question => "After a restart, how soon are callers answered, and under which identity?";

    public override bool StopsServer => true;

    public override string Method =>
        "5 threads search, query their identity, and pause for 5 ms. Halfway, the server ends all connections, refuses "
        + "new ones, and is back half a second later. Poolhouse is a pool of 5 with a MaxRetryDelay of 400 ms, because the "
        + "outage does not last minutes; 'new connection' opens and binds one each time; 'held connections' has one "
        + "LdapConnection for each thread, which by itself reconnects without binding again.";

    protected override IReadOnlyList<string> Contestants =>
        [RivalNames.Poolhouse, RivalNames.NewConnection, RivalNames.HeldConnections];

    protected override IReadOnlyList<Plot> Plots =>
    [
        new(DoneRate, "Operations done (more is better)", "Operations that were answered, per second over time.", "per second"),
        new(FailedRate, "Errors (fewer is better)", "Operations that ended with an error, per second over time.", "per second"),
    ];

    public override string Promise => "no operation under another identity, and an answer within one MaxRetryDelay of the return";

    public override string? Figure => Recovery;

    protected override Verdict JudgeAll(IReadOnlyList<Trial> trials)
    {
        var recovery = Of(trials, RivalNames.Poolhouse, Recovery);
        var strangers = Of(trials, RivalNames.Poolhouse, Strangers);
        return VerdictOf(
            strangers == 0 && recovery <= (LongestRetryDelay / 1000) + SecondsToOpen,
            $"Poolhouse answers again {Finding.TextOf(recovery, Quantity.Seconds)} after the server is back (its longest "
            + $"pause: {Finding.TextOf(LongestRetryDelay / 1000, Quantity.Seconds)}), after "
            + $"{Units.Count(Of(trials, RivalNames.Poolhouse, Errors))} errors; new connections have "
            + $"{Units.Count(Of(trials, RivalNames.NewConnection, Errors))}. Operations that ran as an identity other than "
            + $"the service: {Units.Count(strangers)}; with held connections "
            + $"{Units.Count(Of(trials, RivalNames.HeldConnections, Strangers))}.");
    }

    protected override async Task<Trial> RunAsync(
        string rival, LdapSource source, ScenarioPace pace, TimeProvider time, CancellationToken cancellation)
    {
        var directory = source.Open();
        await using var _ = directory.ConfigureAwait(false);
        var target = directory.Target;
        var check = new IdentityCheck(target, IdentityOf(target));
        var before = directory.Accepted;
        var connections = ConnectionsOf(rival, target, pace.Milliseconds(LongestRetryDelay));
        await using var __ = connections.ConfigureAwait(false);
        var callers = new LdapCallers(connections, check.Search, time, cancellation);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        callers.Journal.SetZero();
        var threads = callers.ComeAsync(Threads, pace.Milliseconds(5), _ => !end.IsCancellationRequested);
        await callers.UntilAsync(pace.Choose(800, 300).TotalSeconds).ConfigureAwait(false);
        var down = callers.Journal.Now;
        directory.Stop();
        await callers.UntilAsync(down + pace.Milliseconds(500).TotalSeconds).ConfigureAwait(false);
        directory.StartAgain();
        var back = callers.Journal.Now;
        await callers.UntilAsync(back + pace.Choose(1_200, 700).TotalSeconds).ConfigureAwait(false);
        await end.CancelAsync().ConfigureAwait(false);
        await threads.ConfigureAwait(false);
        cancellation.ThrowIfCancellationRequested();
        var journal = callers.Journal;
        var answered = journal.Of(TrialEvent.Done, back);
        var finish = journal.Now;
        var errors = journal.Rates(TrialEvent.Refused, finish, Steps).Zip(
            journal.Rates(TrialEvent.UseFailed, finish, Steps), (refused, broken) => refused with { Y = refused.Y + broken.Y });
        return new Trial(
            rival,
            [new Curve(DoneRate, journal.Rates(TrialEvent.Done, finish, Steps)), new Curve(FailedRate, [.. errors])],
            [
                new Finding(
                    Recovery, answered.Count == 0 ? double.PositiveInfinity : answered[0].At - back, Quantity.Seconds,
                    Expectation.Less),
                new Finding(Errors, Failed(journal), Quantity.Count, Expectation.Less),
                new Finding(
                    "Errors when it was back",
                    journal.Count(TrialEvent.Refused, back) + journal.Count(TrialEvent.UseFailed, back),
                    Quantity.Count,
                    Expectation.Less),
                new Finding(Strangers, check.Strangers, Quantity.Count, Expectation.Less),
                new Finding("Operations answered", journal.Count(TrialEvent.Done), Quantity.Count, Expectation.None),
                new Finding(ConnectionsUsed, directory.Accepted - before ?? connections.Opened, Quantity.Count, Expectation.Less),
            ])
        {
            Band = new Band(down, back, "down"),
        };
    }
}
