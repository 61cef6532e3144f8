using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Poolhouse.Repository.Tests.Samples;

public sealed class NativeBuild
{
    // The messages of the SDK when a machine cannot build native code: no runtime pack in the registry, or no linker.
    private static readonly string[] _missingToolchain = ["NU1101", "Platform linker"];

    // What the sample refers to, built already.
    private static readonly string[] _built = ["Poolhouse", "Poolhouse.Analyzers", "Poolhouse.Servers", "Poolhouse.Workers"];

    // The compiler of native code needs a minute of both processors, which others may need as well.
    [Fact(Timeout = 10 * 60_000)]
    public async Task The_native_sample_prints_the_same_checksum_as_the_managed_one_and_can_be_watched()
    {
        var ordinary = await CommandLine.DotnetAsync(RepositoryFiles.OutputOf("NativeAot"));
        Assert.Equal(0, ordinary.ExitCode);
        Assert.Matches("^Checksum [0-9a-f]{16}", ordinary.Output);

        // In separate artifacts, because those of the checkout may be in use: a copy of what their build has made.
        using var folder = new TemporaryFolder();
        var artifacts = Path.Combine(folder.Path, "artifacts");
        foreach (var project in _built)
        {
            Copy(RepositoryFiles.PathOf("artifacts", "bin", project), Path.Combine(artifacts, "bin", project));
            Copy(RepositoryFiles.PathOf("artifacts", "obj", project), Path.Combine(artifacts, "obj", project));
        }

        var binaries = Path.Combine(folder.Path, "binaries");
        var publish = await CommandLine.DotnetAsync(
            "publish", RepositoryFiles.PathOf("samples", "NativeAot"), "-c", RepositoryFiles.Configuration, "-p:Aot=true",
            "-p:BuildProjectReferences=false", "-p:RunAnalyzers=false", $"-p:ArtifactsPath={artifacts}", "-o", binaries);

        // eng/test.sh accepts this reason, the only skip that it allows.
        var missing = _missingToolchain.FirstOrDefault(each => publish.Output.Contains(each, StringComparison.Ordinal));
        Assert.SkipWhen(publish.ExitCode != 0 && missing is not null, $"The Native AOT toolchain is not available: {missing}.");
        Assert.True(publish.ExitCode == 0, publish.Output);
        Assert.DoesNotContain("warning IL", publish.Output, StringComparison.Ordinal);

        var program = OperatingSystem.IsWindows() ? "NativeAot.exe" : "NativeAot";
        var native = await CommandLine.RunAsync(Path.Combine(binaries, program));
        Assert.Equal(ordinary, native);
        await AssertIsWatchedAsync(Path.Combine(binaries, program));
    }

    private static void Copy(string source, string target)
    {
        Directory.CreateDirectory(target);
        foreach (var file in Directory.EnumerateFiles(source))
        {
            File.Copy(file, Path.Combine(target, Path.GetFileName(file)));
        }

        foreach (var folder in Directory.EnumerateDirectories(source))
        {
            Copy(folder, Path.Combine(target, Path.GetFileName(folder)));
        }
    }

    private static async Task AssertIsWatchedAsync(string program)
    {
        using var process = Process.Start(new ProcessStartInfo(program, ["stay"])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        })!;
        try
        {
            Assert.Equal("ready", await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
            var watch = await CommandLine.DotnetAsync(
                RepositoryFiles.OutputOf("Poolhouse.Tool"), "watch", process.Id.ToString(CultureInfo.InvariantCulture), "--once",
                "--wait", "--json", "--interval", "0.2");
            Assert.True(watch.ExitCode == 0, watch.Output);
            using var json = JsonDocument.Parse(watch.Output);
            var row = Assert.Single(json.RootElement.GetProperty("pools").EnumerateArray());
            Assert.Equal("native", row.GetProperty("name").GetString());
            Assert.Contains("1/2 held", row.GetProperty("figures").GetString(), StringComparison.Ordinal);
        }
        finally
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync(CancellationToken.None);
        }
    }
}
