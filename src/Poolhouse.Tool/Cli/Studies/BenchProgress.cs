using Poolhouse.Tool.Bench;
using Spectre.Console;

namespace Poolhouse.Tool.Cli.Studies;

/// <summary>Shows the progress of the measurement: bars on a terminal, a line for each study elsewhere.</summary>
internal static class BenchProgress
{
    private const int BarWidth = 16;
    private const int DescriptionLength = 44;

    /// <summary>Runs the studies in turn, until <paramref name="run"/> stops.</summary>
    public static void Show(
        IAnsiConsole console,
        TimeProvider time,
        IReadOnlyList<Study> studies,
        Func<Study, IStudyProgress, bool> run)
    {
        if (!console.Profile.Capabilities.Interactive)
        {
            var (done, all) = (TimeSpan.Zero, studies.Aggregate(TimeSpan.Zero, (sum, study) => sum + Catalog.UsualTime(study)));
            foreach (var study in studies)
            {
                done += Catalog.UsualTime(study);
                if (!run(study, new ProgressLine(console, time, study.Id, $"{Units.Count(Math.Floor(100 * (done / all)))} % ")))
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
            return RunAsync(new ProgressLine(console, time, name, done: ""));
        }

        return Bars(console).StartAsync(async context =>
        {
            var bar = new ProgressBar(context.AddTask(name, autoStart: false));
            await RunAsync(bar).ConfigureAwait(false);
            bar.End();
        });

        Task RunAsync(IStudyProgress progress)
        {
            progress.Begin(steps, things, []);
            return runAsync(progress.Advance);
        }
    }

    private static Progress Bars(IAnsiConsole console) => console.Progress().Columns(
        new TaskDescriptionColumn { Alignment = Justify.Left },
        new ProgressBarColumn { Width = BarWidth },
        new PercentageColumn(),
        new ElapsedTimeColumn());

    /// <summary>The study and, while it runs, what is measured; as much of it as fits beside the bar.</summary>
    private static string Describe(string name, IEnumerable<string> rivals)
    {
        var text = $"{name}: {string.Join(", ", rivals)}";
        return text.Length <= DescriptionLength ? text : $"{text[..(DescriptionLength - 1)]}…";
    }

    private sealed class ProgressBar(ProgressTask task) : IStudyProgress
    {
        private readonly string _name = task.Description;

        public void Begin(int steps, string things, IEnumerable<string> rivals)
        {
            task.MaxValue = Math.Max(1, steps);
            task.Description = Markup.Escape(Describe(_name, rivals));
            task.StartTask();
        }

        public void Advance() => task.Increment(1);

        public void End()
        {
            task.Value = task.MaxValue;
            task.Description = _name;
            task.StopTask();
        }
    }

    private sealed class ProgressLine(IAnsiConsole console, TimeProvider time, string name, string done) : IStudyProgress
    {
        private long _started;
        private int _steps;
        private int _left;
        private string _things = "";
        private string _rivals = "";

        public void Begin(int steps, string things, IEnumerable<string> rivals)
        {
            _rivals = string.Join(", ", rivals);
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
                    $"{done}{name}: {Units.Count(_steps)} {_things} in " +
                    $"{Units.Digits(time.GetElapsedTime(_started).TotalSeconds)} s"
                    + (_rivals.Length == 0 ? "" : $" ({_rivals})"));
            }
        }
    }
}
