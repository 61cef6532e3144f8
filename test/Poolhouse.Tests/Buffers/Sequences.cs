using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Buffers;

/// <summary>Properties over random sequences of steps. A failure names the shrunk steps and the seed that replays them.</summary>
internal static class Sequences
{
    public static void Check<TStep>(Gen<TStep> step, Action<TStep[]> run, int tests = 300, int longest = 150) =>
        Check(Arb.From(step.ArrayOf(), Shorter), run, tests, longest);

    /// <summary>
    /// Like the other overload, on a subject whose settings are random too and stay the same while the steps shrink.
    /// </summary>
    public static void Check<TSetup, TStep>(
        Gen<TSetup> setup, Func<TSetup, Gen<TStep>> step, Action<TSetup, TStep[]> run, int tests = 300, int longest = 150)
    {
        var cases = from chosen in setup from steps in step(chosen).ArrayOf() select new Case<TSetup, TStep>(chosen, steps);
        Check(
            Arb.From(cases, each => Shorter(each.Steps).Select(steps => each with { Steps = steps })),
            each => run(each.Setup, each.Steps),
            tests,
            longest);
    }

    private static void Check<TCase>(Arbitrary<TCase> cases, Action<TCase> run, int tests, int longest) =>
        Prop.ForAll(cases, run)
            .Check(Config.QuickThrowOnFailure.WithMaxTest(tests).WithEndSize(longest).WithQuietOnSuccess(true));

    private static IEnumerable<TStep[]> Shorter<TStep>(TStep[] steps)
    {
        for (var length = steps.Length / 2; length > 0; length /= 2)
        {
            for (var start = 0; start + length <= steps.Length; start += length)
            {
                yield return [.. steps[..start], .. steps[(start + length)..]];
            }
        }
    }

    private sealed record Case<TSetup, TStep>(TSetup Setup, TStep[] Steps)
    {
        public override string ToString() => $"{Setup}: {string.Join("; ", Steps)}";
    }
}
