using System.Globalization;
using Poolhouse.Tool.Cli;

CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
CultureInfo.DefaultThreadCurrentUICulture = CultureInfo.CurrentUICulture = CultureInfo.InvariantCulture;
using var interruption = new Interruption();
var app = new App(ConsoleFactory.Create(), Console.Error, TimeProvider.System);
return await app.RunAsync(args, interruption.Token).ConfigureAwait(false);
