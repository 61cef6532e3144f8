namespace Poolhouse.Repository.Tests.Layout;

/// <summary>
/// The hand-made bugs of eng/mutants.sh keep pace with the sources: a mutant that no longer fits tests nothing.
/// </summary>
public sealed class Mutants
{
    [Fact]
    public void Each_mutant_replaces_text_that_occurs_once_in_its_file()
    {
        var misfits =
            from path in RepositoryFiles.Files("*.txt", "eng", "mutants")
            let parts = File.ReadAllText(path).Split("\n---\n")
            let source = RepositoryFiles.PathOf(parts[0].Split('/'))
            let count = File.Exists(source) ? CountOf(parts[1], File.ReadAllText(source)) : 0
            where count != 1
            select $"{Path.GetFileNameWithoutExtension(path)}: {count} times";
        Assert.Empty(misfits);
    }

    private static int CountOf(string text, string source) => source.Split(text.TrimEnd('\n')).Length - 1;
}
