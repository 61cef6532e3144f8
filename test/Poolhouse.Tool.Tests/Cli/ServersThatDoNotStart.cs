using System.Runtime.Versioning;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Cli;

/// <summary>Runs alone: the location of the programs is a setting of the whole process.</summary>
[CollectionDefinition(nameof(ServersThatDoNotStart), DisableParallelization = true)]
[Collection(nameof(ServersThatDoNotStart))]
[UnsupportedOSPlatform("windows")]
public sealed class ServersThatDoNotStart
{
    [Fact]
    public async Task A_temporary_database_that_cannot_be_created_is_reported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The variable has another name.");
        using var folder = new TemporaryFolder();
        var before = Environment.GetEnvironmentVariable("TMPDIR");
        Environment.SetEnvironmentVariable("TMPDIR", folder.At("missing"));
        try
        {
            var run = await ToolRun.Of("bench", "database-select-sqlite", "--report", folder.At("report"));

            Assert.Equal(ExitCode.Usage, run.ExitCode);
            Assert.StartsWith(
                $"No temporary SQLite database could be created in '{folder.At("missing")}", run.Error, StringComparison.Ordinal);
            Assert.False(Directory.Exists(folder.At("report")));
        }
        finally
        {
            Environment.SetEnvironmentVariable("TMPDIR", before);
        }
    }

    [Fact]
    public async Task A_temporary_server_that_does_not_start_is_reported()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "The programs are scripts for a Unix shell.");
        using var folder = new TemporaryFolder();
        foreach (var program in (string[])["initdb", "postgres"])
        {
            File.SetUnixFileMode(
                folder.Write(program, "#!/bin/sh\necho does not work; exit 1\n"),
                UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute);
        }

        File.SetUnixFileMode(folder.At(), File.GetUnixFileMode(folder.At()) | UnixFileMode.OtherRead | UnixFileMode.OtherExecute);
        var before = Environment.GetEnvironmentVariable(ServerPrograms.PostgresFolderVariable);
        Environment.SetEnvironmentVariable(ServerPrograms.PostgresFolderVariable, folder.At());
        try
        {
            Assert.SkipUnless(TemporaryPostgres.TryFind(out var reason), reason);

            var run = await ToolRun.Of("bench", "database", "--report", folder.At("report"));

            Assert.Equal(ExitCode.Usage, run.ExitCode);
            Assert.Contains("No temporary PostgreSQL server could be started", run.Error, StringComparison.Ordinal);
            Assert.Contains("ended with exit code 1", run.Error, StringComparison.Ordinal);
            Assert.False(Directory.Exists(folder.At("report")));
        }
        finally
        {
            Environment.SetEnvironmentVariable(ServerPrograms.PostgresFolderVariable, before);
        }
    }
}
