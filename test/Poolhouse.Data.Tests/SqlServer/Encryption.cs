using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Dapper;
using Microsoft.Data.SqlClient;

namespace Poolhouse.Data.Tests.SqlServer;

/// <summary>With every setting of Encrypt, a use costs one request, which carries the reset.</summary>
public sealed class Encryption : ModelServerTests
{
    [Theory]
    [InlineData("Optional")]
    [InlineData("Mandatory")]
    [InlineData("Strict")]
    public async Task A_use_is_one_request_with_the_reset(string encrypt)
    {
        const int Uses = 5;
        using var certificate = encrypt is "Optional" ? null : CreateCertificate();
        (Server.Certificate, Server.IsStrict) = (certificate, encrypt is "Strict");
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(file, certificate?.RawData ?? [], Token);
            var text = $"{Server.ConnectionString};Encrypt={encrypt}" + encrypt switch
            {
                "Mandatory" => ";TrustServerCertificate=true",
                "Strict" => $";ServerCertificate={file}",
                _ => "",
            };
            await using var source = PooledDataSource.Create(SqlClientFactory.Instance, text, CreateOptions());
            for (var i = 0; i <= Uses; i++)
            {
                await using var connection = await source.OpenConnectionAsync(Token);
                Assert.Equal(1, await connection.ExecuteScalarAsync<int>("SELECT 1"));
            }

            Assert.Equal(encrypt is not "Optional", Assert.Single(Server.Sessions).Login.IsEncrypted);
            Assert.Equal((Uses + 1, Uses, 1), (Server.Requests, Server.Resets, Server.Logins));
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static X509Certificate2 CreateCertificate()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var now = TimeProvider.System.GetUtcNow();
        return request.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
    }
}
