using Poolhouse.Tool.Experiments;
using Spectre.Console;

namespace Poolhouse.Tool.Cli;

/// <summary>Shows how far the measuring is: bars on a terminal, a line for each experiment elsewhere.</summary>
internal static class BenchProgress
{
    /// <summary>Runs the experiments in turn, until <paramref name="run"/> says that it is enough.</summary>
    public static void Show(
        IAnsiConsole console,
        TimeProvider time,
        IReadOnlyList<Experiment> experiments,
        Func<Experiment, IExperimentProgress, bool> run)
    {
        if (!console.Profile.Capabilities.Interactive)
        {
            foreach (var experiment in experiments)
            {
                if (!run(experiment, new ProgressLine(console, time, experiment.Id)))
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
                var bars = experiments.Select(experiment => new ProgressBar(context.AddTask(experiment.Id, autoStart: false)))
                    .ToList();
                for (var i = 0; i < experiments.Count && run(experiments[i], bars[i]); i++)
                {
                    bars[i].End();
                }
            });
    }

    private sealed class ProgressBar(ProgressTask task) : IExperimentProgress
    {
        public void Begin(int steps)
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

    private sealed class ProgressLine(IAnsiConsole console, TimeProvider time, string name) : IExperimentProgress
    {
        private long _started;
        private int _steps;
        private int _left;

        public void Begin(int steps)
        {
            _started = time.GetTimestamp();
            _steps = steps;
            _left = steps;
        }

        public void Advance()
        {
            if (--_left == 0)
            {
                console.WriteLine(
                    $"{name}: {Units.Count(_steps)} cells in {Units.Digits(time.GetElapsedTime(_started).TotalSeconds)} s");
            }
        }
    }
}
