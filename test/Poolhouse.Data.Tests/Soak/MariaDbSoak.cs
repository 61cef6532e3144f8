using Poolhouse.Data.Tests.Faults;
using Poolhouse.Data.Tests.Faults.Kinds;
using Poolhouse.Data.Tests.Servers;

namespace Poolhouse.Data.Tests.Soak;

/// <summary>The promises of <see cref="NonceSoak"/> with MySqlConnector on MariaDB.</summary>
public sealed class MariaDbSoak(MariaDbServer server, ITestOutputHelper output)
{
    [Theory]
    [InlineData(PoolApi.LeaseAsync, 4, 20)]
    [InlineData(PoolApi.SourceAsync, 2, 40)]
    [InlineData(PoolApi.SourceSync, 3, 6)]
    public async Task Every_caller_reads_its_own_nonce_in_a_clean_session(PoolApi api, int maxSize, int callers) =>
        await new SoakRun(
            ServerKind.MariaDb, api, await server.GetConnectionStringAsync(), new SoakSettings(output),
            output).RunAsync(maxSize, callers);
}
