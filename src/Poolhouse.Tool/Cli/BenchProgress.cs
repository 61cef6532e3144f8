using Poolhouse.Tool.Experiments;
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

        console.Progress()
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn { Width = 30 },
                new ElapsedTimeColumn())
            .Start(context =>
            {
                var bars = studies.Select(study => new ProgressBar(context.AddTask(study.Id, autoStart: false)))
                    .ToList();
                for (var i = 0; i < studies.Count && run(studies[i], bars[i]); i++)
                {
                    bars[i].End();
                }
            });
    }

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
