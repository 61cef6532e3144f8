using Poolhouse.Tool.Bench;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>Shows how far the measuring is: bars on a terminal, a line for each study elsewhere.</summary>
internal static class BenchProgress
{
    /// <summary>Runs the studies in turn, until <paramref name="run"/> says that it is enough.</summary>
    public static void Show(
        IAnsiConsole console,
        TimeProvider time,
        IReadOnlyList<Study> studies,
        Func<Study, IStudyProgress, bool> run)
    {
        if (!console.Profile.Capabilities.Interactive)
        {
            foreach (var study in studies)
            {
                if (!run(study, new ProgressLine(console, time, study.Id)))
                {
                    return;
                }
            }

            return;
        }

        Bars(console).Start(context =>
        {
            var bars = studies.Select(study => new ProgressBar(context.AddTask(study.Id, autoStart: false))).ToList();
            for (var i = 0; i < studies.Count && run(studies[i], bars[i]); i++)
            {
                bars[i].End();
            }
        });
    }

    /// <summary>Runs one asynchronous study.</summary>
    /// <param name="console">Where to show it.</param>
    /// <param name="time">The clock.</param>
    /// <param name="name">Of the bar.</param>
    /// <param name="steps">How many there are.</param>
    /// <param name="things">What a step is called, in the plural.</param>
    /// <param name="runAsync">Does the work, and calls what it is given after each step.</param>
    public static Task ShowAsync(
        IAnsiConsole console, TimeProvider time, string name, int steps, string things, Func<Action, Task> runAsync)
    {
        if (!console.Profile.Capabilities.Interactive)
        {
            return RunAsync(new ProgressLine(console, time, name));
        }

        return Bars(console).StartAsync(async context =>
        {
            var bar = new ProgressBar(context.AddTask(name, autoStart: false));
            await RunAsync(bar).ConfigureAwait(false);
            bar.End();
        });

        Task RunAsync(IStudyProgress progress)
        {
            progress.Begin(steps, things);
            return runAsync(progress.Advance);
        }
    }

    private static Progress Bars(IAnsiConsole console) => console.Progress().Columns(
        new TaskDescriptionColumn { Alignment = Justify.Left },
        new ProgressBarColumn { Width = 30 },
        new ElapsedTimeColumn());

    private sealed class ProgressBar(ProgressTask task) : IStudyProgress
    {
        public void Begin(int steps, string things)
        {
            task.MaxValue = Math.Max(1, steps);
            task.StartTask();
        }

        public void Advance() => task.Increment(1);

        public void End()
        {
            task.Value = task.MaxValue;
            task.StopTask();
        }
    }

    private sealed class ProgressLine(IAnsiConsole console, TimeProvider time, string name) : IStudyProgress
    {
        private long _started;
        private int _steps;
        private int _left;
        private string _things = "";

        public void Begin(int steps, string things)
        {
            _started = time.GetTimestamp();
            _steps = steps;
            _things = things;
            _left = steps;
        }

        public void Advance()
        {
            if (--_left == 0)
            {
                console.WriteLine(
                    $"{name}: {Units.Count(_steps)} {_things} in {Units.Digits(time.GetElapsedTime(_started).TotalSeconds)} s");
            }
        }
    }
}
