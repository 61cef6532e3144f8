namespace Poolhouse.Explorer.Scheduling;

/// <summary>Runs a scenario under one schedule after the other, until one fails or the strategy has none left.</summary>
internal sealed class Search(string name, Action<ScenarioRun> scenario, Strategy strategy, bool traces = false)
{
    public const string ScheduleVariable = "POOLHOUSE_SCHEDULE";

    private readonly IdleThreads _idleThreads = new();
    private readonly SemaphoreSlim _end = new(0);
    private Scheduler? _scheduler;
    private Exception? _failure;
    private long _schedules;
    private int _mostSteps;

    public static Report Explore(string name, Action<ScenarioRun> scenario, Strategy strategy)
    {
        var search = new Search(name, scenario, strategy);
        search.Run();
        return new Report(search._schedules, search._mostSteps, search.Explain());
    }

    /// <summary>Runs one schedule again.</summary>
    /// <returns>Its failure, or null, and what happened step by step.</returns>
    public static (Exception? Failure, IReadOnlyList<string> Trace) Repeat(Action<ScenarioRun> scenario, Schedule schedule)
    {
        var search = new Search("", scenario, new Replay(schedule), traces: true);
        search.Run();
        return (search._failure, search._scheduler!.Trace);
    }

    // The runs have a separate thread, because a run that fails may never release it.
    private void Run()
    {
        new ActorThread().Begin(RunAll);
        _end.Wait();
        _failure ??= _scheduler!.Failure;
    }

    private void RunAll(ActorThread thread)
    {
        while (_failure is null && strategy.BeginRun())
        {
            _schedules++;
            _scheduler = new Scheduler(strategy, _idleThreads, () => _end.Release(), traces);
            var run = new ScenarioRun(_scheduler);
            scenario(run);
            _scheduler.Run(thread);
            _mostSteps = Math.Max(_mostSteps, _scheduler.Steps);
            try
            {
                run.CheckEnd();
            }
            catch (Exception failure)
            {
                _failure = failure;
            }
        }

        _idleThreads.EndAll();
        _end.Release();
    }

    private ScheduleFailedException? Explain()
    {
        if (_failure is not { } failure)
        {
            return null;
        }

        var schedule = _scheduler!.Schedule;
        var (again, trace) = Repeat(scenario, schedule);
        var doubt = again?.GetType() == failure.GetType() ? "" : "\n(It did not fail again: the scenario is not deterministic.)";
        return new ScheduleFailedException(
            $"{failure.Message}\n{ScheduleVariable}='{name}: {schedule}'{doubt}\n{string.Join('\n', trace)}", failure);
    }
}
