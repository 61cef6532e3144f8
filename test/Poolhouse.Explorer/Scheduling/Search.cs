namespace Poolhouse.Explorer.Scheduling;

/// <summary>Runs a scenario under one schedule after the other, until one fails or the strategy has none left.</summary>
internal static class Search
{
    public const string ScheduleVariable = "POOLHOUSE_SCHEDULE";

    public static Report Explore(string name, Action<Play> scenario, Strategy strategy, long limit = long.MaxValue)
    {
        using var crew = new Crew();
        var schedules = 0L;
        var most = 0;
        while (schedules < limit)
        {
            if (!strategy.BeginRun())
            {
                return new Report(schedules, most, IsComplete: true, Failure: null);
            }

            var (scheduler, failure) = Run(scenario, strategy, crew, traces: false);
            schedules++;
            most = Math.Max(most, scheduler.Steps);
            if (failure is not null)
            {
                return new Report(schedules, most, IsComplete: false, Explain(name, scenario, scheduler.Schedule, failure));
            }
        }

        return new Report(schedules, most, IsComplete: false, Failure: null);
    }

    /// <summary>Runs one schedule again.</summary>
    /// <returns>Its failure, or null, and what happened step by step.</returns>
    public static (Exception? Failure, IReadOnlyList<string> Trace) Repeat(Action<Play> scenario, Schedule schedule)
    {
        var strategy = new Replay(schedule);
        strategy.BeginRun();
        using var crew = new Crew();
        var (scheduler, failure) = Run(scenario, strategy, crew, traces: true);
        return (failure, scheduler.Trace);
    }

    private static (Scheduler Scheduler, Exception? Failure) Run(Action<Play> scenario, Strategy strategy, Crew crew, bool traces)
    {
        var scheduler = new Scheduler(strategy, crew, traces);
        var play = new Play(scheduler);
        scenario(play);
        scheduler.Run();
        var failure = scheduler.Failure;
        if (failure is null)
        {
            try
            {
                play.CheckEnd();
            }
#pragma warning disable CA1031 // Whatever it is, it is what this schedule leads to.
            catch (Exception thrown)
#pragma warning restore CA1031
            {
                failure = thrown;
            }
        }

        return (scheduler, failure);
    }

    private static ScheduleFailedException Explain(string name, Action<Play> scenario, Schedule schedule, Exception failure)
    {
        var (again, trace) = Repeat(scenario, schedule);
        var replays = again?.GetType() == failure.GetType() ? "" : "\n(It did not fail again: the scenario depends on something else.)";
        return new ScheduleFailedException(
            $"{failure.Message}\n{ScheduleVariable}='{name}: {schedule}'{replays}\n{string.Join('\n', trace)}", failure);
    }
}
