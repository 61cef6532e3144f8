using Poolhouse.Testing;
using Poolhouse.Tool.Bench.Databases;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Bench.Fleets;

/// <summary>Processes of one kind that share a role, and what happens to them.</summary>
internal sealed class FleetStory : IAsyncDisposable
{
    // The first and the second process, and the last two of those that start together.
    public const string Killed = "p1";
    public const string Stopped = "p2";
    public const string Newcomer = "newcomer";

    public const string KilledLabel = "kill -9";
    public const string NewcomerLabel = "a newcomer";
    public const string CutLabel = "cut off";
    public const string HealedLabel = "connected";

    private readonly string _rival;
    private readonly FleetPlan _plan;
    private readonly PostgresDatabase _database;
    private readonly FleetRole _role;
    private readonly TimeProvider _time;
    private readonly CancellationToken _cancellation;
    private readonly long _started;
    private readonly FaultProxy _toAll;
    private readonly FaultProxy _toList;
    private readonly List<FleetProcess> _processes = [];
    private readonly List<FleetEvent> _events = [];

    public FleetStory(
        string rival, FleetPlan plan, PostgresDatabase database, FleetRole role, TimeProvider time,
        CancellationToken cancellation)
    {
        (_rival, _plan, _database, _role, _time, _cancellation) = (rival, plan, database, role, time, cancellation);
        _started = time.GetTimestamp();
        (_toAll, _toList) = (role.StartProxy(), role.StartProxy());
    }

    public IReadOnlyList<FleetProcess> Processes => _processes;

    /// <summary>The process whose whole network is cut.</summary>
    public string CutOff => $"p{_plan.Processes}";

    /// <summary>The process of which only the session that reads the list is cut.</summary>
    public string Deaf => $"p{_plan.Processes - 1}";

    public FleetProcess this[string name] => _processes.Single(process => process.Name == name);

    private double Now => _time.GetElapsedTime(_started).TotalSeconds;

    /// <summary>Runs it to its end.</summary>
    /// <exception cref="ServerFailedException">A process did not start.</exception>
    public async Task<FleetRecord> RunAsync()
    {
        var judge = new FleetJudge(_role, () => Now);
        await using var _ = judge.ConfigureAwait(false);
        for (var i = 1; i <= _plan.Processes; i++)
        {
            Start($"p{i}");
        }

        var living = _processes.Select(static process => process.Name).ToList();
        foreach (var process in _processes)
        {
            await process.BeginAsync(_cancellation).ConfigureAwait(false);
        }

        Happened("all started", living);
        await PauseAsync(_plan.Short * 1.3).ConfigureAwait(false);
        await this[Killed].KillAsync().ConfigureAwait(false);
        living.Remove(Killed);
        Happened(KilledLabel, living);
        await PauseAsync(_plan.Short).ConfigureAwait(false);

        Start(Newcomer);
        await this[Newcomer].BeginAsync(_cancellation).ConfigureAwait(false);
        living.Add(Newcomer);
        Happened(NewcomerLabel, living);
        await PauseAsync(_plan.Short).ConfigureAwait(false);

        this[Stopped].Signal("STOP");
        Happened("stopped", living.Where(static each => each != Stopped));
        await PauseAsync(_plan.Long).ConfigureAwait(false);
        this[Stopped].Signal("CONT");
        Happened("continued", living);
        await PauseAsync(_plan.Short).ConfigureAwait(false);

        await CutAsync(living).ConfigureAwait(false);
        if (_database.Server is { } server)
        {
            await server.RestartAsync(PostgresStop.Immediate, _cancellation).ConfigureAwait(false);
            Happened("restarted", living);
            await PauseAsync(_plan.Short).ConfigureAwait(false);
        }

        var end = Now;
        var samples = await judge.EndAsync().ConfigureAwait(false);
        await Task.WhenAll(_processes.Select(static process => process.EndAsync())).ConfigureAwait(false);
        return new FleetRecord(samples, _events, end) { Settling = _plan.Settling.TotalSeconds };
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var process in _processes)
        {
            await process.DisposeAsync().ConfigureAwait(false);
        }

        await _toAll.DisposeAsync().ConfigureAwait(false);
        await _toList.DisposeAsync().ConfigureAwait(false);
    }

    // Bytes are held and delivered later, as TCP does it after an interruption of the network.
    private async Task CutAsync(List<string> living)
    {
        foreach (var proxy in (FaultProxy[])[_toAll, _toList])
        {
            proxy.ToServer.Add(new HoldToxic());
            proxy.ToClient.Add(new HoldToxic());
        }

        Happened(CutLabel, living.Where(each => each != CutOff));
        await PauseAsync(_plan.Long).ConfigureAwait(false);
        _toAll.Heal();
        _toList.Heal();
        Happened(HealedLabel, living);
        await PauseAsync(_plan.Short).ConfigureAwait(false);
    }

    private void Start(string name)
    {
        var pool = _role.StringFor(name, name == CutOff ? _toAll : null);
        var budget = _role.StringFor($"session-of-{name}", name == CutOff ? _toAll : name == Deaf ? _toList : null);
        _processes.Add(FleetProcess.Start(name, _rival, pool, budget, () => Now));
    }

    private void Happened(string what, IEnumerable<string> members) => _events.Add(new FleetEvent(Now, what, [.. members]));

    private Task PauseAsync(TimeSpan time) => Task.Delay(time, _time, _cancellation);
}
