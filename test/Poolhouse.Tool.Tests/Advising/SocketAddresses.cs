using Poolhouse.Tool.Advise.Sampling;

namespace Poolhouse.Tool.Tests.Advising;

/// <summary>The addresses in events of System.Net.Sockets.</summary>
public sealed class SocketAddresses
{
    [Theory]
    [InlineData("InterNetwork:16:{21,56,127,0,0,1,0,0,0,0,0,0,0,0}", "127.0.0.1", 5432)]
    [InlineData("InterNetworkV6:28:{21,56,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,255,10,0,0,7,0,0,0,0}", "10.0.0.7", 5432)]
    [InlineData("InterNetworkV6:28:{1,133,0,0,0,0,32,1,13,184,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0}", "2001:db8::1", 389)]
    [InlineData("10.1.2.3:6379", "10.1.2.3", 6379)]
    public void The_address_and_the_port_are_read(string text, string address, int port) =>
        Assert.Equal((address, port), PeerAddress.Parse(text));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("Unix:110:{47,116,109,112}")]
    [InlineData("InterNetwork:16:{21}")]
    [InlineData("InterNetwork:16:{a,b}")]
    [InlineData("InterNetworkV6:28:{1,2,3,4,5,6,7}")]
    public void Other_sockets_and_damaged_texts_are_skipped(string? text) => Assert.Null(PeerAddress.Parse(text));
}
