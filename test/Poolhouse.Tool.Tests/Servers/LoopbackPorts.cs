using Poolhouse.Tool.Servers;

namespace Poolhouse.Tool.Tests.Servers;

public sealed class LoopbackPorts
{
    // Servers ask for several ports before they listen on the first one.
    [Fact]
    public void Ports_that_are_found_one_after_another_differ()
    {
        var ports = Enumerable.Range(0, 300).Select(_ => LoopbackPort.Find()).ToList();

        Assert.Equal(ports.Count, ports.Distinct().Count());
    }
}
