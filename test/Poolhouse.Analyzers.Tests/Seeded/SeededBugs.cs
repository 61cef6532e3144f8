namespace Poolhouse.Analyzers.Tests.Seeded;

/// <summary>Bugs planted in correct code: what the rules find of them.</summary>
public sealed class SeededBugs
{
    [Fact]
    public void Every_original_and_every_mutant_compiles()
    {
        var sources = SeededFile.All.SelectMany(file =>
            file.Mutants.Select(mutant => (Name: $"{file.Name}, {mutant}", mutant.Source)).Append((Name: file.Name, Source: file.Original)));
        Assert.All(sources, source => Assert.True(
            Compiler.ErrorsOf(Compiler.Compile(source.Source)) is [],
            $"{source.Name}: {string.Join("; ", Compiler.ErrorsOf(Compiler.Compile(source.Source)))}"));
    }

    [Fact]
    public void At_least_forty_bugs_are_seeded() => Assert.True(SeededFile.All.Sum(file => file.Mutants.Count) >= 40);
}
