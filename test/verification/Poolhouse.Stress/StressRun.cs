using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Stress;

/// <summary>
/// Runs random operations on several threads until the time has elapsed. The seed is printed; POOLHOUSE_SEED replays it.
/// </summary>
/// <remarks>
/// A seed fixes what each thread does, not how the threads interleave. POOLHOUSE_STRESS_SECONDS sets how long each test lasts:
/// half a second by default, 2 for mutants.
/// </remarks>
internal sealed class StressRun
{
    private readonly ITestOutputHelper _output;

    public StressRun(ITestOutputHelper output)
    {
        _output = output;
        Seed = Read("POOLHOUSE_SEED") ?? Random.Shared.Next();
        Duration = TimeSpan.FromSeconds(Read("POOLHOUSE_STRESS_SECONDS") ?? 0.5);
        output.WriteLine($"POOLHOUSE_SEED={Seed}");
    }

    public int Seed { get; }

    public TimeSpan Duration { get; }

    /// <summary>Runs the body repeatedly on each thread, with a separate random source.</summary>
    /// <returns>How often it ran on all threads together.</returns>
    public long Run(int threads, Action<Random> step, Action? last = null)
    {
        var started = Stopwatch.GetTimestamp();
        var steps = 0L;
        Exception? failure = null;
        var workers = Enumerable.Range(0, threads).Select(number => new Thread(() =>
        {
            var random = new Random(Seed + number);
            var mine = 0L;
            try
            {
                while (failure is null && Stopwatch.GetElapsedTime(started) < Duration)
                {
                    step(random);
                    mine++;
                }

                last?.Invoke();
            }
            catch (Exception caught)
            {
                Interlocked.CompareExchange(ref failure, caught, null);
            }
            Interlocked.Add(ref steps, mine);
        })).ToList();
        workers.ForEach(worker => worker.Start());
        workers.ForEach(worker => worker.Join());
        _output.WriteLine($"{steps:N0} steps on {threads} threads");
        if (failure is not null)
        {
            throw new InvalidOperationException($"The run with POOLHOUSE_SEED={Seed} failed: {failure.Message}", failure);
        }

        return steps;
    }

    private static int? Read(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var value) ? value : null;
}
