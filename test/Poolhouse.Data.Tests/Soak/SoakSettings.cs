using System.Globalization;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>
/// How long a soak lasts, and what it does: POOLHOUSE_SOAK_SECONDS, 2 by default, and POOLHOUSE_SEED, which is printed and
/// replays it.
/// </summary>
/// <remarks>A seed fixes what each caller does, not how the callers interleave.</remarks>
internal sealed class SoakSettings
{
    public SoakSettings(ITestOutputHelper output)
    {
        Seed = Read("POOLHOUSE_SEED") ?? Random.Shared.Next();
        Duration = TimeSpan.FromSeconds(Read("POOLHOUSE_SOAK_SECONDS") ?? 2);
        output.WriteLine($"POOLHOUSE_SEED={Seed}");
    }

    public int Seed { get; }

    public TimeSpan Duration { get; }

    private static int? Read(string variable) =>
        int.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var value) ? value : null;
}
