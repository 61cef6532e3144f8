using Poolhouse.Tool.Bench;
using Poolhouse.Tool.Bench.Ldap;
using Poolhouse.Tool.Bench.Ldap.InProcess;
using Poolhouse.Tool.Bench.Report;
using Poolhouse.Tool.Cli;
using Poolhouse.Tool.Cli.Studies;

namespace Poolhouse.Tool.Tests.Cli;

public sealed class LdapRuns
{
    [Fact]
    public async Task Ldap_is_measured_on_an_in_process_server_only_on_request()
    {
        Assert.SkipUnless(LdapLibrary.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        var run = await ToolRun.Of("bench", Catalog.LdapGroup, "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Equal("an LDAP server in this process", document.Machine.Databases);
        Assert.Equal(["ldap-operations", "ldap-cancellations", "ldap-restart"], document.Scenarios.Select(each => each.Id));
        Assert.All(document.Scenarios, scenario =>
        {
            Assert.True(scenario.IsComplete);
            Assert.Equal(RivalNames.Poolhouse, scenario.Trials[0].Rival);
            Assert.All(scenario.Trials, trial => Assert.NotEmpty(trial.Curves));
            Assert.All(
                scenario.Trials[0].Findings.Where(finding => finding.Name == "Operations not as the service"),
                finding => Assert.Equal(0, finding.Value));
        });
        Assert.DoesNotContain(Catalog.Select(Catalog.Everything), study => study.Group == Catalog.LdapGroup);
    }

    [Fact]
    public async Task An_ldap_server_of_the_user_is_searched_but_not_stopped_or_named()
    {
        Assert.SkipUnless(LdapLibrary.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = LdapTestServer.Start();
        const string Dn = "cn=reader,dc=example,dc=org";
        server.Directory.Add(Dn, ("objectClass", "applicationProcess"), ("userPassword", "hunter2"));
        var run = await ToolRun.Of(
            "bench", "ldap", "--server", $"ldap://{server.Host}:{server.Port}", "--bind-dn", Dn, "--bind-password", "hunter2",
            "--report", folder.At("report"));

        Assert.Equal(ExitCode.Success, run.ExitCode);
        Assert.Contains("ldap-restart is skipped", run.Output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        var document = JsonReport.Read(File.ReadAllText(folder.At("report", ReportWriter.Json)))!;
        Assert.Equal(["ldap-operations", "ldap-cancellations"], document.Scenarios.Select(each => each.Id));
        Assert.All(
            [run.Output, .. Directory.GetFiles(folder.At("report"), "*", SearchOption.AllDirectories).Select(File.ReadAllText)],
            text =>
            {
                Assert.DoesNotContain("hunter2", text, StringComparison.Ordinal);
                Assert.DoesNotContain("cn=reader", text, StringComparison.Ordinal);
                Assert.DoesNotContain(server.Host, text, StringComparison.Ordinal);
            });
        Assert.All(server.GetOperations(), operation => Assert.True(
            operation.Kind is not (LdapTestOperationKind.Add or LdapTestOperationKind.Modify or LdapTestOperationKind.Delete)));
    }

    [Fact]
    public async Task A_wrong_directory_password_is_reported_by_the_server_and_not_repeated()
    {
        Assert.SkipUnless(LdapLibrary.TryFind(out var reason), reason);
        using var folder = new TemporaryFolder();
        await using var server = LdapTestServer.Start();
        var run = await ToolRun.Of(
            "bench", "ldap", "--server", $"ldap://{server.Host}:{server.Port}", "--bind-dn", "cn=reader", "--bind-password",
            "hunter3", "--report", folder.At("report"));

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains("--server", run.Error, StringComparison.Ordinal);
        Assert.Contains("49", run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter", run.Error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(folder.At("report")));
    }

    [Theory]
    [InlineData("'arrays' uses no LDAP server", "arrays", "--server", "ldap://localhost")]
    [InlineData("Example: 'ldap://localhost:389'", "ldap", "--server", "localhost:389")]
    [InlineData("Example: 'ldap://localhost:389'", "ldap", "--server", "ldap://me:hunter2@localhost")]
    [InlineData("Specify both", "ldap", "--server", "ldap://localhost", "--bind-dn", "cn=hunter2")]
    [InlineData("Specify both", "ldap", "--server", "ldap://localhost", "--bind-dn", "cn=me", "--bind-password", "")]
    [InlineData("require --server", "ldap", "--bind-password", "hunter2")]
    public async Task Conflicting_directory_options_are_explained_without_their_values(
        string why, params string[] args)
    {
        var run = await ToolRun.Of(["bench", .. args]);

        Assert.Equal(ExitCode.Usage, run.ExitCode);
        Assert.Contains(why, run.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("hunter", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Fact]
    public void Without_the_native_library_ldap_experiments_are_skipped_with_the_reason()
    {
        var selection = StudySelection.OfLdap(Catalog.Select(Catalog.LdapGroup), "the library is missing", hasDirectory: false);

        Assert.Empty(selection.Studies);
        Assert.Equal(Catalog.Select(Catalog.LdapGroup).Count, selection.Skipped.Count);
        Assert.All(
            selection.Skipped, line => Assert.EndsWith("is skipped: the library is missing.", line, StringComparison.Ordinal));
    }
}
