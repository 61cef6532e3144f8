using System.Globalization;
using Poolhouse.Tool.Bench.Fleets;
using Poolhouse.Tool.Cli;

CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
CultureInfo.DefaultThreadCurrentUICulture = CultureInfo.CurrentUICulture = CultureInfo.InvariantCulture;
if (args is [FleetMember.Verb, var rival])
{
    await FleetMember.RunAsync(rival).ConfigureAwait(false);
    return ExitCode.Success;
}

using var interruption = new Interruption();
var app = new App(ConsoleFactory.Create(), Console.Error, TimeProvider.System);
return await app.RunAsync(args, interruption.Token).ConfigureAwait(false);
