using System.Runtime.CompilerServices;

namespace Poolhouse.Explorer.Scheduling;

/// <summary>A class of scenarios, each explored by a test.</summary>
// POOLHOUSE_SCHEDULE='test: 0*12 1' runs only this schedule of that test, with a trace.
public abstract class Exploration(ITestOutputHelper output)
{
    private const int Seed = 20260;

    /// <summary>Explores a scenario: every schedule up to a number of preemptions, then random ones beyond.</summary>
    private protected void Explore(
        Action<ScenarioRun> scenario, int preemptions = 2, int random = 400, string variant = "",
        [CallerMemberName] string test = "")
    {
        var name = test + variant;
        if (TryReplay(name, scenario))
        {
            return;
        }

        var explored = 0L;

        // The smallest bound first, so that a failure has as few preemptions as possible.
        for (var bound = 0; bound <= preemptions; bound++)
        {
            var report = Search.Explore(name, scenario, new Exhaustive(bound));
            WriteReport(name, $"all with {bound} preemptions", report);
            explored += report.Schedules;
        }

        // One run per bound would mean that there was never a choice, because the shims were not used.
        Assert.True(explored > preemptions + 1, "There was only one schedule.");
        WriteReport(name, "random walks", Search.Explore(name, scenario, new RandomWalk(Seed, random)));
        WriteReport(name, "random ranks", Search.Explore(name, scenario, new Priorities(Seed, random, changes: 3)));
    }

    private void WriteReport(string name, string what, Report report)
    {
        output.WriteLine($"{name}: {report.Schedules:N0} schedules, {what}, up to {report.MostSteps} steps");
        if (report.Failure is { } failure)
        {
            throw failure;
        }
    }

    private bool TryReplay(string name, Action<ScenarioRun> scenario)
    {
        if (System.Environment.GetEnvironmentVariable(Search.ScheduleVariable) is not { } wanted
            || !wanted.StartsWith(name + ":", StringComparison.Ordinal))
        {
            return false;
        }

        var (failure, trace) = Search.Repeat(scenario, Schedule.Parse(wanted[(name.Length + 1)..]));
        output.WriteLine(string.Join('\n', trace));
        if (failure is not null)
        {
            throw new ScheduleFailedException(failure.Message, failure);
        }

        return true;
    }
}
