namespace Poolhouse.Repository.Tests.Packages;

/// <summary>The check of eng/release.sh that a version does not break code which was written for the last one.</summary>
public sealed class ReleaseSurface
{
    private const string Then =
        """
        # 1.2.0
        Core: interface Core.IPool
        Core: interface Core.IPool :: int Trim()
        Core: sealed class Core.Pool
        Core: sealed class Core.Pool :: void Clear()

        """;

    [Theory]
    [InlineData(
        "    int Trim()\n    int Count { get; }\n", "    void Clear()\n", "+ Core: interface Core.IPool :: int Count { get; }",
        "1.3.0", false)]
    [InlineData(
        "    int Trim()\n", "    void Clear(bool spread)\n", "- Core: sealed class Core.Pool :: void Clear()", "2.0.0", true)]
    [InlineData("    int Trim()\n", "    void Clear()\n    void Drain()\n", "1 are new, 0 are removed or changed", "1.2.1", true)]
    public async Task A_change_that_breaks_callers_needs_a_new_major_version(
        string ofInterface, string ofClass, string named, string version, bool mayBe)
    {
        using var folder = new TemporaryFolder();
        var snapshots = Directory.CreateDirectory(Path.Combine(folder.Path, "snapshots")).FullName;
        var baseline = Path.Combine(folder.Path, "surface.txt");
        await File.WriteAllTextAsync(baseline, Then, TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(
            Path.Combine(snapshots, "Core.txt"), $"interface Core.IPool\n{ofInterface}\nsealed class Core.Pool\n{ofClass}",
            TestContext.Current.CancellationToken);

        var check = await ReleaseProgram.RunAsync("api", baseline, snapshots, version);

        Assert.Contains(named, check.Output, StringComparison.Ordinal);
        Assert.Equal(mayBe, check.ExitCode == 0);
        Assert.Equal(
            !mayBe,
            check.Output.Contains("breaks code that was written for 1.2.0. Raise the major version", StringComparison.Ordinal));
    }
}
