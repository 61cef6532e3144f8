using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.Data.SqlClient;
using Poolhouse.TestSupport;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>SqlClient's second pool, which a switch of the process chooses: everything is counted as with the first.</summary>
public sealed class SecondPool : ModelServerTests
{
    private const string Variable = "POOLHOUSE_SQLCLIENT_POOL";

    private static bool IsChosen => Environment.GetEnvironmentVariable(Variable) is "2";

#pragma warning disable CA2255 // Before SqlClient reads the switch.
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void Choose()
    {
        if (IsChosen)
        {
            AppContext.SetSwitch("Switch.Microsoft.Data.SqlClient.UseConnectionPoolV2", isEnabled: true);
        }
    }

    [Fact]
    public async Task Requests_resets_logins_leftovers_and_faults_are_the_same()
    {
        Assert.SkipWhen(IsChosen, "This is that process.");
        Type[] classes = [typeof(Requests), typeof(Leftovers), typeof(FaultTable), typeof(SecondPool)];
        var program = Environment.ProcessPath!;
        string[] host = Path.GetFileNameWithoutExtension(program) is "dotnet" ? [typeof(SecondPool).Assembly.Location] : [];
        var start = new ProcessStartInfo(
            program,
            [.. host, "-noLogo", "-noColor", "-explicit", "on", .. classes.SelectMany(each => (string[])["-class", each.FullName!])])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        start.Environment[Variable] = "2";

        var (exitCode, output) = await ChildProcess.RunToEndAsync(start);

        Assert.True(exitCode == 0 && output.Contains("Errors: 0, Failed: 0, Skipped: 1", StringComparison.Ordinal), output);
    }

    [Fact(Explicit = true)]
    public async Task It_is_used()
    {
        await using var connection = new SqlConnection(Server.ConnectionString);
        await connection.OpenAsync(Token);

        var inner = Read(connection, "InnerConnection");
        Assert.Equal("ChannelDbConnectionPool", Read(inner, "Pool").GetType().Name);
        SqlConnection.ClearPool(connection);
    }

    private static object Read(object of, string property) => of.GetType()
        .GetProperty(property, BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public)!.GetValue(of)!;
}
