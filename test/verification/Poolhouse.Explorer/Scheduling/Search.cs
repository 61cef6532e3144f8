namespace Poolhouse.Explorer.Scheduling;

/// <summary>Runs a scenario under one schedule after the other, until one fails or the strategy has none left.</summary>
internal sealed class Search(string name, Action<Play> scenario, Strategy strategy, bool traces = false)
{
    public const string ScheduleVariable = "POOLHOUSE_SCHEDULE";

    private readonly Crew _crew = new();
    private readonly SemaphoreSlim _end = new(0);
    private Scheduler? _scheduler;
    private Exception? _failure;
    private long _schedules;
    private int _mostSteps;

    public static Report Explore(string name, Action<Play> scenario, Strategy strategy)
    {
        var search = new Search(name, scenario, strategy);
        search.Run();
        return new Report(search._schedules, search._mostSteps, search.Explain());
    }

    /// <summary>Runs one schedule again.</summary>
    /// <returns>Its failure, or null, and what happened step by step.</returns>
    public static (Exception? Failure, IReadOnlyList<string> Trace) Repeat(Action<Play> scenario, Schedule schedule)
    {
        var search = new Search("", scenario, new Replay(schedule), traces: true);
        search.Run();
        return (search._failure, search._scheduler!.Trace);
    }

    // The runs have a thread of their own, because one that fails may never give it back.
    private void Run()
    {
        new Stagehand().Begin(RunAll);
        _end.Wait();
        _failure ??= _scheduler!.Failure;
    }

    private void RunAll(Stagehand thread)
    {
        while (_failure is null && strategy.BeginRun())
        {
            _schedules++;
            _scheduler = new Scheduler(strategy, _crew, () => _end.Release(), traces);
            var play = new Play(_scheduler);
            scenario(play);
            _scheduler.Run(thread);
            _mostSteps = Math.Max(_mostSteps, _scheduler.Steps);
            try
            {
                play.CheckEnd();
            }
#pragma warning disable CA1031 // Whatever it is, it is what this schedule leads to.
            catch (Exception failure)
#pragma warning restore CA1031
            {
                _failure = failure;
            }
        }

        _crew.Dismiss();
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
        var doubt = again?.GetType() == failure.GetType() ? "" : "\n(It did not fail again: it depends on something else.)";
        return new ScheduleFailedException(
            $"{failure.Message}\n{ScheduleVariable}='{name}: {schedule}'{doubt}\n{string.Join('\n', trace)}", failure);
    }
}
