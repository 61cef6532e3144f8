using FsCheck;
using FsCheck.Fluent;

namespace Poolhouse.Tests.Buffers;

/// <summary>Properties over random sequences of steps. A failure names the shrunk steps and the seed that replays them.</summary>
internal static class Sequences
{
    public static void Check<TStep>(Gen<TStep> step, Action<TStep[]> run, int tests = 300, int longest = 150) =>
        Prop.ForAll(Arb.From(step.ArrayOf(), Shorter), run)
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
}
