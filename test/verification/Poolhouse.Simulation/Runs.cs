using System.Diagnostics;
using System.Globalization;

namespace Poolhouse.Simulation;

/// <summary>Runs many seeds of one theme, and reports how to repeat a run that failed.</summary>
internal static class Runs
{
    private const int DefaultSeeds = 200;

    /// <summary>Runs the seeds from 1 to POOLHOUSE_SEEDS, or the one in POOLHOUSE_SEED.</summary>
    public static void Run(Theme theme, ITestOutputHelper output)
    {
        var only = Read("POOLHOUSE_SEED");
        var seeds = only is { } seed ? [seed] : Enumerable.Range(1, Read("POOLHOUSE_SEEDS") ?? DefaultSeeds);
        long count = 0, events = 0, rents = 0, faults = 0, jumps = 0;
        var simulated = TimeSpan.Zero;
        var started = Stopwatch.GetTimestamp();
        foreach (var number in seeds)
        {
            var world = RunOne(theme, number);
            count++;
            events += world.Events;
            rents += world.Tally.Rents;
            faults += world.Server.Faults;
            jumps += world.Time.JumpsAtReadings;
            simulated += TimeSpan.FromTicks(world.Time.Now);
        }

        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{theme}: {count:N0} seeds, {events:N0} events, {rents:N0} rents, {faults:N0} faults, {jumps:N0} jumps at " +
            $"readings of the clock, {simulated.TotalHours:0.0} simulated hours in " +
            $"{Stopwatch.GetElapsedTime(started).TotalSeconds:0.0} s"));
    }

    /// <summary>Runs one seed on this thread alone.</summary>
    public static World RunOne(Theme theme, int seed, Func<World, bool>? sabotage = null)
    {
        // Awaits in the simulation continue in the awaited event, not in a context of the test runner.
        var context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        World? world = null;
        try
        {
            world = new World(theme, seed, sabotage);
            world.Run();
            return world;
        }
        catch (BrokenPromiseException broken)
        {
            throw new BrokenPromiseException(Tell(theme, seed, world!, broken), broken);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private static string Tell(Theme theme, int seed, World world, BrokenPromiseException broken) => string.Create(
        CultureInfo.InvariantCulture,
        $"""
        {broken.Message}
        Again: POOLHOUSE_SEED={seed} artifacts/bin/Poolhouse.Simulation/release/Poolhouse.Simulation -noLogo -class "*.{theme}Pool"
        {world.Scenario}
        First options: {Scenario.Show(world.FirstOptions)}
        Options now: {Scenario.Show(world.Referee.Options)}
        Event {world.Events:N0}; the last ones:
        {world.History.Tell()}
        """);

    private static int? Read(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var value) ? value : null;
}
