using Poolhouse.RabbitMq.Tests.Servers;
using Poolhouse.Tests.Servers;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Poolhouse.RabbitMq.Tests;

/// <summary>
/// Every account of a machine reaches a server on loopback; only one that knows its random password may log in.
/// </summary>
[Collection(nameof(OneAtATime))]
public sealed class ServerAccessControl(RabbitServer server)
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("guest", "guest")]
    [InlineData("poolhouse", "poolhouse")]
    [InlineData("poolhouse", "guest")]
    public async Task A_guessed_password_is_rejected(string user, string password)
    {
        var factory = await server.GetFactoryAsync();
        (factory.UserName, factory.Password) = (user, password);

        var refused = await Assert.ThrowsAsync<BrokerUnreachableException>(() => factory.CreateConnectionAsync(Token));

        Assert.IsType<AuthenticationFailureException>(refused.InnerException);
    }

    [Fact]
    public async Task Another_account_cannot_read_the_password_or_the_cookie()
    {
        OtherAccount.SkipUnlessPossible();
        var folder = await server.GetFolderAsync();

        await OtherAccount.AssertCannotReadAsync(folder, "rabbitmq.conf");
        await OtherAccount.AssertCannotReadAsync(folder, ".erlang.cookie");
    }
}
