using Poolhouse.Ldap;
using Poolhouse.Tool.Bench.Resources;
using Poolhouse.Tool.Bench.Resources.Trials;

namespace Poolhouse.Tool.Bench.Ldap;

/// <summary>A scenario of five threads that query a directory with pauses in between.</summary>
internal abstract class LdapScenario : Scenario
{
    protected const int Threads = 5;
    protected const string ConnectionsUsed = "Connections used";
    protected const string Strangers = "Operations not as the service";
    private const int PoolSize = 5;
    private const int SmallPoolSize = 4;

    public override string Group => Catalog.LdapGroup;

    /// <summary>The rivals, in the order of their trials.</summary>
    protected abstract IReadOnlyList<string> Contestants { get; }

    public override IReadOnlyList<TrialPlan> Plan(BenchPlan plan, ScenarioPace pace, TimeProvider time) =>
    [
        .. Contestants.Select(rival => new TrialPlan(rival, async cancellation =>
        {
            // The code of both sides is compiled before anything counts.
            await RunAsync(rival, plan.Ldap, ScenarioPace.Tiny, time, cancellation).ConfigureAwait(false);
            return await RunAsync(rival, plan.Ldap, pace, time, cancellation).ConfigureAwait(false);
        })),
    ];

    protected abstract Task<Trial> RunAsync(
        string rival, LdapSource source, ScenarioPace pace, TimeProvider time, CancellationToken cancellation);

    protected static LdapConnections ConnectionsOf(string rival, LdapTarget target, TimeSpan? longestRetryDelay = null)
    {
        switch (rival)
        {
            case RivalNames.NewConnection:
                return new NewConnections(target);
            case RivalNames.HeldConnections:
                return new HeldConnections(target);
            default:
                var options = target.PoolOptions(SizeOf(rival));
                if (longestRetryDelay is { } delay)
                {
                    options.Pool.RetryDelay = delay < options.Pool.RetryDelay ? delay : options.Pool.RetryDelay;
                    options.Pool.MaxRetryDelay = delay;
                }

                return new PooledConnections(target, options);
        }
    }

    protected static int SizeOf(string rival) => rival == RivalNames.SmallPool ? SmallPoolSize : PoolSize;

    /// <summary>The expected identity of the connections; null if the server does not report it.</summary>
    protected static string? IdentityOf(LdapTarget target)
    {
        using var connection = target.Connect();
        return LdapTarget.WhoAmI(connection);
    }

    /// <summary>The given quantile of the entries, in seconds.</summary>
    protected static double Percentile(IEnumerable<Entry> entries, double share)
    {
        double[] values = [.. entries.Select(entry => entry.Value).Order()];
        return values.Length == 0 ? double.PositiveInfinity : values[(int)Math.Min(values.Length - 1, share * values.Length)];
    }

    protected static double Mean(IEnumerable<Entry> entries) =>
        entries.Select(entry => entry.Value).DefaultIfEmpty(double.PositiveInfinity).Average();

    /// <summary>The outcomes of the callers that failed.</summary>
    protected static int Failed(Journal journal) => journal.Count(TrialEvent.Refused) + journal.Count(TrialEvent.UseFailed);
}
