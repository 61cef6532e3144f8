using System.Globalization;
using System.Text;
using Microsoft.CodeAnalysis.CSharp;
using Poolhouse.Analyzers.Tests.Harness;
using Poolhouse.Analyzers.Tests.Seeded;

namespace Poolhouse.Analyzers.Tests.Fuzzing;

/// <summary>An editor analyzes code that is being typed: whatever stands there, the analyzer must not crash.</summary>
public sealed class DamagedSources(ITestOutputHelper output)
{
    private const string SeedVariable = "POOLHOUSE_SEED";
    private const int Variants = 100;
    private const int LongestSource = 12_000;

    private static readonly string[] _names = ["Rent", "Return", ".Get(", "Lease", "Dispose"];

    [Fact]
    public async Task Damaged_sources_of_the_repository_do_not_crash_the_analyzer()
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable(SeedVariable), CultureInfo.InvariantCulture, out var given)
            ? given
            : Random.Shared.Next();
        output.WriteLine($"{SeedVariable}={seed.ToString(CultureInfo.InvariantCulture)}");
        var random = new Random(seed);
        var sources = Repository.Sources().Select(File.ReadAllText)
            .Where(text => text.Length <= LongestSource && _names.Any(name => text.Contains(name, StringComparison.Ordinal)))
            .ToList();
        Assert.NotEmpty(sources);

        for (var i = 0; i < Variants; i++)
        {
            var source = Damaged(sources[random.Next(sources.Count)], random);
            try
            {
                await Analysis.FindAsync(Compiler.Compile(source));
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException(
                    $"{SeedVariable}={seed.ToString(CultureInfo.InvariantCulture)}: the analyzer failed on\n{source}", exception);
            }
        }
    }

    private static string Damaged(string source, Random random)
    {
        var tokens =
            CSharpSyntaxTree.ParseText(source).GetRoot().DescendantTokens().Select(token => token.ToFullString()).ToList();
        switch (random.Next(4))
        {
            case 0:
                return string.Concat(tokens.Take(random.Next(tokens.Count)));
            case 1:
                for (var i = 0; i < 3; i++)
                {
                    tokens.RemoveAt(random.Next(tokens.Count));
                }

                return string.Concat(tokens);
            case 2:
                for (var i = 0; i < 3; i++)
                {
                    var (first, second) = (random.Next(tokens.Count), random.Next(tokens.Count));
                    (tokens[first], tokens[second]) = (tokens[second], tokens[first]);
                }

                return string.Concat(tokens);
            default:
                // Whole lines in another order: most of it still parses.
                var lines = source.Split('\n');
                var start = random.Next(lines.Length);
                var some = lines.AsSpan(start, Math.Min(12, lines.Length - start));
                random.Shuffle(some);
                return new StringBuilder().AppendJoin('\n', lines).ToString();
        }
    }
}
